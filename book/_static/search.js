// The search page: which results there are, in which order and by which names, and what is quoted.
{
  const CHAPTER = /^notebooks\/(\d+)/;
  const LEFT_OUT = "script, style, pre, svg, table, .headerlink, .cell_input, .cell_output, .props-figure, .module";
  const SIGNS = { theta: "θ", pi: "π", alpha: "α", delta: "δ", sigma: "σ", epsilon: "ε", gamma: "γ", sum: "∑", max: "max" };
  Object.assign(SIGNS, { le: "≤", ge: "≥", times: "×", cdot: "·", pm: "±", approx: "≈", dots: "…", in: "∈", mid: "|" });
  // What Sphinx would say.
  const SOME = "Search finished, found ${resultCount} page(s) matching the search query.";
  const NONE = `Your search did not match any documents. Please make sure that all words are spelled correctly and \
that you've selected enough categories.`;
  const WHOLE = /^[“(]?[A-Z].*[.!?][”)]?$/;
  const MOST = 240; // characters of a quotation

  const LIBRARY = /^book\/reference-/;
  const kinds = new Map(); // of the names that were found, by their anchors
  let marked = /(?!)/;

  // The glossary, the chapters in their order, names of the library, other pages: what is last is shown first.
  const rank = ([page, , anchor, kind]) =>
    anchor.startsWith("#term-") ? 0 : kind ? 100 : Number(CHAPTER.exec(page)?.[1] ?? 101);

  // Whole words, not between the brackets of a tag.
  const mark = (html) => html.replace(marked, '<span class="highlighted">$&</span>');
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

  const entryAt = (anchor) =>
    Object.entries(Search._index.indexentries).find(([, places]) => places.some(([, id]) => `#${id}` === anchor))?.[0];

  // World.returns, and in small letters where it is.
  const nameShortly = (result) => {
    const parts = result[1].split(".");
    const kind = result[3].match(/^Python (\w+)/)?.[1] ?? "name";
    const own = { module: parts.length, method: 2, attribute: 2, property: 2 }[kind] ?? 1;
    result[1] = parts.slice(-own).join(".<wbr>");
    kinds.set(result[2], [kind, ...(own < parts.length ? ["in", parts.slice(0, -own).join(".<wbr>")] : [])].join(" "));
    result[3] = null; // so that its sentence is fetched
  };

  const perform = Search._performSearch;
  Search._performSearch = (query, sought, excluded, highlighted, ...terms) => {
    const all = perform(query, sought, excluded, highlighted, ...terms).sort((a, b) => rank(b) - rank(a));
    const beginnings = [...sought, ...highlighted].filter((word) => word.length > 1).map(_escapeRegExp);
    if (beginnings.length) marked = new RegExp(`(?<![\\w&])(?:${beginnings.join("|")})\\w*(?![^<]*>)`, "gi");
    highlighted.clear(); // Sphinx would mark parts of words
    const placed = new Set(all.filter(([, , anchor, kind]) => anchor && !kind).map(([page]) => page));
    const results = all.filter(([page, , anchor, kind]) => anchor || kind || !placed.has(page));
    for (const result of results) {
      if (result[3]) nameShortly(result);
      else if (result[2].startsWith("#term-")) result[1] = `Glossary: ${entryAt(result[2]) ?? query}`;
      else result[1] = (LIBRARY.test(result[0]) ? "Library: " : "") + result[1].replace(" > ", ": ");
      result[1] = mark(result[1]);
    }
    const count = `${results.length} result${results.length === 1 ? "" : "s"} for “${query}”`;
    Documentation.TRANSLATIONS[SOME] = count;
    Documentation.TRANSLATIONS[NONE] = `Nothing was found for “${query}”. Try fewer words, or other ones.`;
    return results;
  };

  // A formula in the letters that a line of text has.
  const inLetters = (_, formula) =>
    formula
      .replace(/\\(?:text|math\w+|operatorname)\{([^{}]*)\}/g, "$1")
      .replace(/\\([a-zA-Z]+)\s?/g, (_, name) => SIGNS[name] ?? "")
      .replace(/\\.|[{}]/g, "")
      .replace(/\^2/g, "²");

  const textOf = (block) => block.textContent.replace(/\\\((.*?)\\\)/gs, inLetters).replace(/\s+/g, " ").trim();

  // Whole sentences, as many as there is room for, of which the first has the word.
  const quote = (text, word) => {
    const sentences = text.split(/(?<=[.!?][”)]?) (?=[“(]?[A-Z])/);
    const first = Math.max(0, sentences.findIndex((sentence) => word.test(sentence)));
    const rest = sentences.slice(first).join(" ");
    const start = word.exec(rest)?.index > MOST - 40 ? rest.indexOf(" ", word.exec(rest).index - MOST / 2) + 1 : 0;
    const shown = rest.slice(start);
    const end = shown.length > MOST ? shown.lastIndexOf(" ", MOST) : shown.length;
    return `${start ? "… " : ""}${shown.slice(0, end)}${end < shown.length ? " …" : ""}`;
  };

  Search.makeSearchSummary = (html, keywords, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    let place = page.getElementById(anchor.slice(1)) ?? page.querySelector(".bd-article");
    while (place.tagName === "DT") place = place.nextElementSibling;
    if (place.tagName === "SPAN") place = place.closest("section");
    place.querySelectorAll(LEFT_OUT).forEach((part) => part.remove());
    const blocks = [...place.querySelectorAll("p, :is(li, dd):not(:has(p, li))")].map(textOf).filter(Boolean);
    // What a word of the glossary means is quoted from its beginning, and so is what a name means.
    const kind = kinds.get(anchor);
    const sought = kind || anchor.startsWith("#term-") ? [] : [...keywords];
    const stems = sought.filter((stem) => stem.length > 2).map(_escapeRegExp);
    const words = stems.map((stem) => new RegExp(`(?<![\\w-])${stem}`, "i"));
    // Of how many words a block has, and whether it is a sentence, not an item of a list.
    const worth = (text) => 2 * words.filter((word) => word.test(text)).length + WHOLE.test(text);
    const best = Math.max(...blocks.map(worth));
    const chosen = blocks.find((text) => best > 1 && worth(text) === best) ?? blocks[0] ?? "";
    const quoted = quote(chosen, words.find((word) => word.test(chosen)) ?? /^/);
    const shown = kind ? quoted.split(/(?<=[.!?]) /)[0] : quoted;
    const named = kind ? `<span>${kind}</span>` : "";
    return document.createRange().createContextualFragment(`${named}<p class="context">${mark(escaped(shown))}</p>`);
  };
}
