// Small repairs for keyboards and screen readers, where the theme leaves something to do.
document.addEventListener("DOMContentLoaded", () => {
  // The link that jumps to the text and the logo belong to a landmark.
  document.getElementById("pst-skip-link")?.setAttribute("role", "navigation");
  document.getElementById("pst-skip-link")?.setAttribute("aria-label", "Skip");
  document.querySelector(".bd-sidebar-primary")?.setAttribute("role", "navigation");
  document.querySelector(".bd-sidebar-primary")?.setAttribute("aria-label", "Book");

  // The contents show where one is, from a whole entry on.
  const contents = document.querySelector(".bd-sidebar-primary");
  const here = contents?.querySelector("li.current.active");
  if (here?.offsetTop > 0.9 * contents.clientHeight) {
    contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
    const seen = (entry) => entry.offsetTop + entry.offsetHeight > contents.scrollTop;
    contents.scrollTop = [...contents.querySelectorAll("li")].find(seen).offsetTop;
  }

  // The name that is read aloud contains the text that is shown.
  document.querySelectorAll(".search-button-field").forEach((button) => {
    button.setAttribute("aria-label", button.textContent.trim().replace(/\s+/g, " "));
  });

  document.querySelectorAll("details.hide > summary[aria-label]").forEach((summary) => {
    summary.removeAttribute("aria-label");
  });

  // The arrow that unfolds the pages below an entry of the contents.
  document.querySelectorAll("summary:has(> .toctree-toggle)").forEach((arrow) => {
    const entry = arrow.closest("li").querySelector("a").textContent.trim();
    arrow.setAttribute("aria-label", `Pages below ${entry}`);
  });

  // A list of sources is read as a plain list; its special roles are withdrawn from the standard.
  document.querySelectorAll(".citation-list, .citation").forEach((entry) => {
    entry.removeAttribute("role");
  });

  // What a word of the glossary means, for the pointer and the keyboard alike.
  const meaning = document.createElement("div");
  meaning.className = "meaning";
  meaning.hidden = true;
  document.body.append(meaning);
  const hide = () => (meaning.hidden = true);
  const show = ({ currentTarget: link }) => {
    const { left, bottom } = link.getClientRects()[0];
    meaning.textContent = link.getAttribute("aria-description");
    meaning.hidden = false;
    const most = document.documentElement.clientWidth - meaning.offsetWidth - 16;
    meaning.style.left = `${Math.max(16, Math.min(left, most))}px`;
    meaning.style.top = `${bottom + window.scrollY + 6}px`;
  };
  document.querySelectorAll("a.glossed[title]").forEach((link) => {
    link.setAttribute("aria-description", link.title);
    link.removeAttribute("title");
    for (const event of ["mouseenter", "focus"]) link.addEventListener(event, show);
    for (const event of ["mouseleave", "blur", "click"]) link.addEventListener(event, hide);
  });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());

  // On a phone letters are larger where there is room. In a table of figures that is too wide, or
  // whose words stand one below another, each name stands above its row; in others a row becomes a
  // few lines, with the columns' names.
  const narrow = matchMedia("(max-width: 600px)");
  const isTall = (cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    const lines = text.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight);
    return lines > (cell.matches("td") && cell.offsetWidth < 72 ? 2.5 : 3.5);
  };
  const stack = () => {
    if (!narrow.matches) return;
    const tried = ".roomy, .named, .small, .stacked, .props-figure table";
    document.querySelectorAll(`.bd-article table:not(${tried})`).forEach((table) => {
      if (!table.tHead) return;
      const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
      const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
      const fits = (look) => {
        table.classList.add(look);
        const wide = Math.max(table.offsetWidth, table.scrollWidth);
        const tall = [...table.querySelectorAll(":is(th, td):not(.sentence)")].some(isTall);
        const fit = wide <= table.parentElement.clientWidth + 1 && !tall;
        if (!fit) table.classList.remove(look);
        return fit;
      };
      if (fits("roomy")) return;
      const isFigure = (cell) => cell.matches(".figures, .number") || cell.textContent.length < 2;
      const named = ([name, ...cells]) => /[a-z]{2}/i.test(name.textContent) && cells.every(isFigure);
      table.style.setProperty("--columns", heads.length - 1);
      if (rows.every(named) && fits("named")) return;
      if (fits("small")) return;
      // The first cell is the row's name, and needs its column's only if it is a number.
      const needsHead = (cell, k) => cell.textContent.trim() && (k || /^[\d(−]/.test(cell.textContent));
      for (const row of rows) {
        row.forEach((cell, k) => needsHead(cell, k) && (cell.dataset.head = heads[k]));
      }
      const isLong = (cell) => !cell.matches(".sentence") && cell.textContent.length > 40;
      if (rows.some(([, ...cells]) => cells.some(isLong))) table.classList.add("fields");
      table.classList.add("stacked");
    });
  };
  stack();
  narrow.addEventListener("change", stack);

  // What scrolls sideways can be reached with the keyboard.
  const wide = "div.cell_output, .pst-scrollable-table-container, .bd-article pre, div.math";
  document.querySelectorAll(wide).forEach((box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
});
