/**
 * On phones the panels of a wide plot stand below one another. Each is a window onto the plot, so
 * that nothing is drawn twice; a panel that shares its neighbour's vertical axis is shown with it.
 * The letters of a plot with one panel grow as far as there is room.
 */
(() => {
  const narrow = matchMedia("(max-width: 600px)");
  const NS = "http://www.w3.org/2000/svg";
  const BAR = 30; // what is less wide is a colour bar, which belongs to the panel at its left
  const EDGE = 3;
  const LETTER = 11;
  const LEAST = 10.5; // pixels
  const GROWN = [16, 15, 14, 13, 12.5, 12, 11.5, 11, 10, 9]; // units, of which a phone shows 504 on 358 pixels
  const HANDLE = 32; // between the words of a legend

  /** The smallest box around some boxes. */
  function around(boxes) {
    const x = Math.min(...boxes.map((one) => one.x));
    const y = Math.min(...boxes.map((one) => one.y));
    const right = Math.max(...boxes.map((one) => one.x + one.width));
    const low = Math.max(...boxes.map((one) => one.y + one.height));
    return { x, y, width: right - x, height: low - y };
  }

  /** Where a part of the plot lies, in the plot's own units. */
  function place(svg, part) {
    const seen = part.getBoundingClientRect();
    const whole = svg.getBoundingClientRect();
    const unit = svg.viewBox.baseVal.width / whole.width;
    const { x: left, y: top } = svg.viewBox.baseVal;
    const [x, y] = [left + (seen.x - whole.x) * unit, top + (seen.y - whole.y) * unit];
    return { x, y, width: seen.width * unit, height: seen.height * unit };
  }

  /** What an axes draws on: the edges at which it cuts its marks off, as it may show no ground. */
  function groundOf(svg, group) {
    const clipped = group.querySelector("[clip-path]");
    const rect = clipped && svg.querySelector(`[id="${clipped.getAttribute("clip-path").slice(5, -1)}"] > rect`);
    if (!rect) return place(svg, group.firstElementChild);
    const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => rect[side].baseVal.value);
    return { x, y, width, height };
  }

  /** The axes that stand side by side, each with the ground it draws on and all that it says. */
  function panels(svg) {
    const found = [];
    const all = [...svg.querySelectorAll("g.axes")].map((group) => {
      const ground = groundOf(svg, group);
      const words = [...group.querySelectorAll("text")].map((text) => place(svg, text));
      const left = words.filter((one) => one.x + one.width < ground.x);
      return { group, ground, box: around([ground, ...words]), left };
    });
    for (const one of all.sort((a, b) => a.ground.x - b.ground.x)) {
      const last = found.at(-1);
      const joined = last && (one.ground.width < BAR || one.ground.x < last.ground.x + last.ground.width - 1);
      if (joined) {
        last.box = around([last.box, one.box]);
        if (one.ground.width >= BAR) last.ground = around([last.ground, one.ground]);
      } else found.push(one);
    }
    return found;
  }

  const copy = (part, shift = 0) => {
    const use = document.createElementNS(NS, "use");
    use.setAttribute("href", `#${part.id}`);
    if (shift) use.setAttribute("transform", `translate(${shift} 0)`);
    return use;
  };

  /** A window onto a box of the plot. */
  function show({ x, y, width, height }, ...parts) {
    const svg = document.createElementNS(NS, "svg");
    const sides = [x - EDGE, y, width + 2 * EDGE, height + EDGE]; // above may stand a legend
    svg.setAttribute("viewBox", sides.join(" "));
    svg.append(...parts);
    return svg;
  }

  /** The window of a panel, with the vertical scale of the first where it has none of its own. */
  function windowOf(panel, first, whole) {
    if (panel.left.length > 1 || first.left.length < 2) return show(panel.box, copy(whole));
    const shift = panel.ground.x - first.ground.x;
    const room = first.ground.x - Math.min(...first.left.slice(0, -1).map((one) => one.x));
    const own = panel.left.length === 1;
    const label = (own ? panel : first).group.querySelectorAll("g.axis")[1].querySelector(":scope > g.text");
    const clear = show(panel.box, copy(whole)); // without the neighbour's edge
    const edge = own ? panel.left[0].x + panel.left[0].width : panel.box.x - EDGE;
    const sides = { x: edge, y: 0, width: panel.box.x + panel.box.width + EDGE - edge, height: 2 * panel.box.height };
    for (const [name, value] of Object.entries(sides)) clear.setAttribute(name, value);
    clear.setAttribute("viewBox", Object.values(sides).join(" "));
    const start = own ? panel.left[0].x - room : first.box.x + shift;
    const ticks = [...first.group.querySelectorAll("g.ytick")].map((one) => copy(one.lastElementChild, shift));
    const box = around([panel.box, { ...panel.box, x: start, width: 1 }]);
    return show(box, clear, ...ticks, ...(label ? [copy(label, own ? -room : shift)] : []));
  }

  /** How many words of a plot touch others or leave the plot. */
  function conflicts(svg) {
    const said = [...svg.querySelectorAll("text")].filter((text) => !text.closest(".unsaid"));
    const words = said.map((text) => {
      const gap = text.closest("g.legend") ? HANDLE : 0;
      return { ...place(svg, text), gap };
    });
    const apart = (a, b) => a.x + a.width + Math.min(a.gap, b.gap) <= b.x || a.y + a.height <= b.y;
    const touching = words.flatMap((a, k) => words.slice(k + 1).filter((b) => !apart(a, b) && !apart(b, a)));
    const { x, width } = svg.viewBox.baseVal;
    const outside = words.filter((one) => one.x < x - 1 || one.x + one.width > x + width + EDGE);
    return touching.length + outside.length;
  }

  /** Letters of this size, with the labels of the axes moved away from the larger numbers. */
  function setLetters(svg, size, sparse, { x, y, width, height }) {
    const more = Math.max(0, size - LETTER);
    const [below, left] = [...svg.querySelectorAll("g.axes > g.axis")].map((axis) => axis.querySelector(":scope > g.text"));
    below?.setAttribute("transform", `translate(0 ${1.4 * more})`);
    left?.setAttribute("transform", `translate(${-2.4 * more} 0)`);
    const room = [x - (left ? 2.6 * more : 0), y - more, width + (left ? 2.6 * more : 0), height + 3 * more];
    svg.setAttribute("viewBox", room.join(" "));
    svg.style.setProperty("--letters", `${size}px`);
    svg.style.setProperty("--grown", size > LETTER ? size / LETTER : 1);
    svg.querySelectorAll("g.xtick").forEach((tick, k) => tick.classList.toggle("unsaid", sparse && k % 2 > 0));
  }

  function enlarge(svg) {
    if (!svg.querySelector("g.axis text")) return; // words in boxes have no room
    const before = conflicts(svg);
    const { x, y, width, height } = svg.viewBox.baseVal;
    for (const size of [...GROWN, 0]) {
      for (const sparse of size > LETTER ? [false, true] : [false]) {
        setLetters(svg, size, sparse, { x, y, width, height });
        if (conflicts(svg) <= before) return;
      }
    }
  }

  function stack(svg, found, number) {
    const whole = svg.querySelector("g");
    [whole, ...svg.querySelectorAll("g.ytick > g, g.axis > g.text")].forEach((part, k) => {
      part.id ||= `plot-${number}-${k}`;
    });
    const windows = found.map((panel) => windowOf(panel, found[0], whole));
    for (const one of whole.children) {
      if (one.matches(".axes") || !one.querySelector("text")) continue;
      one.id ||= `plot-${number}-${one.getAttribute("class")}-${windows.length}`;
      const words = show(place(svg, one), copy(one));
      windows[one.matches(".legend") ? "unshift" : "push"](words);
    }
    const most = Math.max(...found.map((one) => one.box.width + 2 * EDGE));
    const room = svg.parentElement.clientWidth;
    const row = Math.max(1, Math.floor((LETTER * room) / (LEAST * most)));
    for (const one of windows) {
      one.style.width = `${Math.min(100, (100 * one.viewBox.baseVal.width) / (row * most))}%`;
    }
    const box = document.createElement("div");
    box.className = "plot-panels";
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", svg.getAttribute("aria-label"));
    box.append(...windows);
    svg.after(box);
    svg.classList.add("in-panels");
  }

  const build = () => {
    if (!narrow.matches || document.querySelector(".plot-panels")) return;
    document.querySelectorAll("svg.plot:not(.narrow)").forEach((svg, number) => {
      if (!svg.clientWidth) return;
      const found = panels(svg);
      if (found.length > 1) stack(svg, found, number);
      else if (svg.clientWidth < svg.viewBox.baseVal.width) enlarge(svg);
    });
  };
  document.addEventListener("DOMContentLoaded", build);
  narrow.addEventListener("change", build);
})();
