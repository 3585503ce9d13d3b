/**
 * Films of the chapters: they play while they are in view, without sound, unless the reader asked
 * for less motion; and their controls stand below the frames, which they would hide.
 */
(() => {
  // In the dark: the light ground turns dark, white to 0.09, and hues stay.
  const DARK = `<svg width="0" height="0" style="position: absolute" aria-hidden="true">
    <filter id="film-in-the-dark" color-interpolation-filters="sRGB">
      <feColorMatrix values="0.26 -0.52 -0.6 0 0.95
        -0.6 0.34 -0.6 0 0.95  -0.6 -0.52 0.26 0 0.95  0 0 0 1 0"/></filter></svg>`;
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  function mount(film) {
    const play = document.createElement("button");
    const moment = document.createElement("input");
    const bar = document.createElement("div");
    play.type = "button";
    moment.type = "range";
    moment.min = 0;
    moment.max = 1000;
    moment.value = 1000 * (film.dataset.poster ?? 0); // the still's
    moment.setAttribute("aria-label", "Moment of the film");
    bar.className = "film-bar";
    bar.append(play, moment);
    film.after(bar);
    film.controls = false;
    new ResizeObserver(() => (bar.style.width = `${film.clientWidth}px`)).observe(film);

    let mine = false; // whether the reader took the film into their own hands
    const name = () => (play.textContent = film.paused ? "Play" : "Pause");
    const start = () => film.play().catch(name);
    for (const event of ["play", "pause"]) film.addEventListener(event, name);
    film.addEventListener("timeupdate", () => {
      if (film.duration) moment.value = (1000 * film.currentTime) / film.duration;
    });
    play.addEventListener("click", () => {
      mine = true;
      if (film.paused) start();
      else film.pause();
    });
    moment.addEventListener("input", () => {
      mine = true;
      film.pause();
      if (film.duration) film.currentTime = (moment.value / 1000) * film.duration;
    });
    name();
    new IntersectionObserver(
      ([seen]) => {
        if (!seen.isIntersecting) film.pause();
        else if (!mine && !calm()) start();
      },
      { threshold: 0.6 },
    ).observe(film);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const films = document.querySelectorAll("video.film");
    if (films.length) document.body.insertAdjacentHTML("beforeend", DARK);
    films.forEach(mount);
  });
})();
