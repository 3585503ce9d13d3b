/**
 * Puts the interactive figures into a page. A place for one is
 *
 *     <div class="props-figure" data-figure="car"> ... </div>
 *
 * and what stands in it, a still picture and a sentence, is what a reader has without JavaScript.
 * Each figure is a module of this folder, loaded only where its place is on the page. This script
 * itself is no module, since browsers load none from a file: there it says what to do instead. It is
 * deferred: the page is whole when it runs.
 */
(() => {
  const here = document.currentScript.src;

  function note(place, words) {
    const line = document.createElement("p");
    line.className = "props-figure-note";
    line.textContent = words;
    place.append(line);
  }

  async function put(place) {
    try {
      const still = place.querySelector("img");
      const figure = await import(new URL(`./${place.dataset.figure}.js`, here));
      await figure.mount(place);
      place.classList.add("props-figure-live");
      still?.classList.add("still"); // for print
      place.append(still ?? "");
    } catch (error) {
      note(place, `The interactive figure could not be loaded (${error.message}).`);
    }
  }

  for (const place of document.querySelectorAll(".props-figure[data-figure]")) {
    if (location.protocol !== "file:") put(place);
    else {
      note(
        place,
        "This page was opened as a file, from which browsers load no interactive figures. " +
          "Run “make serve” and open the address that it prints.",
      );
    }
  }
})();
