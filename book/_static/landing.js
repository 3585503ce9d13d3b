/**
 * The moving picture of the first page: three proposals of a recorded search, the drive that each
 * one gives, and the value that it earns. It plays once, can be paused, and stands still at its end
 * for readers who ask for less motion. Its data are in landing_data.js.
 *
 * No module, so that it also runs on a page that was opened as a file.
 */
(() => {
  const STEPS_A_SECOND = 120;
  const READ = 1.1; // seconds before each drive
  const SHOW = 0.7; // seconds after it
  const FILL = 2; // seconds for the proposals that follow
  const FLOOR = -150;
  const MARKED = 13; // the proposal that the text asks about
  const TOP = 100;
  const SVG = "http://www.w3.org/2000/svg";

  const shown = (number, decimals) => number.toFixed(decimals).replace("-", "−");

  function make(tag, attributes, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function html(tag, className, ...children) {
    const node = document.createElement(tag);
    node.className = className;
    node.append(...children);
    return node;
  }

  const drawing = (width, height, label, ...children) =>
    make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...children);

  /** The valley with the car in it. */
  function valley() {
    const left = (x) => 12 + ((x + 1.2) / 1.8) * 316;
    const up = (x) => 156 - 84 * (Math.sin(3 * x) * 0.5 + 0.5);
    const ground = [];
    for (let i = 0; i <= 90; i++) ground.push(`${left(-1.2 + i / 50)},${up(-1.2 + i / 50)}`);
    const [x, y] = [left(0.45), up(0.45)];
    const car = make(
      "g",
      {},
      make("path", {
        class: "car",
        d: "M-19 -5 V-12 Q-19 -15 -16 -15 H-10 L-6 -23 H8 L14 -15 Q20 -15 20 -10 V-5 z",
      }),
      make("circle", { class: "wheel", cx: -10, cy: -5, r: 5.5 }),
      make("circle", { class: "wheel", cx: 11, cy: -5, r: 5.5 }),
    );
    const node = drawing(
      340,
      190,
      "A car in a valley, driven by the proposed numbers; a flag marks the goal on the right",
      make("path", { class: "ground", d: `M${ground.join("L")}` }),
      make("path", { class: "flag", d: `M${x} ${y} v-58 l-22 9 l22 9` }),
      car,
      make("text", { x: 170, y: 182, "text-anchor": "middle" }, "one of the 20 episodes"),
    );
    const show = (position) => {
      const rise = up(position + 0.01) - up(position);
      const tilt = (Math.atan2(rise, left(0.01) - left(0)) * 180) / Math.PI;
      car.setAttribute("transform", `translate(${left(position)} ${up(position)}) rotate(${tilt})`);
    };
    return { node, show };
  }

  /** The values of the proposals, hollow where they are to come, and the best so far as a line. */
  function curve({ values, start }, width) {
    const left = (k) => 44 + (k / values.length) * (width - 60);
    const up = (value) => 20 + ((TOP - Math.max(value, FLOOR)) / (TOP - FLOOR)) * 96;
    const text = (x, y, anchor, words) => make("text", { x, y, "text-anchor": anchor }, words);
    const points = values.map((value, i) =>
      value < FLOOR // lower than the picture: a triangle on its floor
        ? make("path", { class: "point", d: `M${left(i + 1)},118 l-5,-9 h10 z` })
        : make("circle", { class: "point", cx: left(i + 1), cy: up(value), r: 3.5 }),
    );
    const line = make("path", { class: "best" });
    const [x, y] = [left(MARKED), up(values[MARKED - 1])];
    const ring = make("circle", { class: "mark", cx: x, cy: y, r: 8 });
    const mark = make("g", {}, ring, text(x - 12, y + 5, "end", MARKED));
    const ticks = [1, 20, 40, 60];
    const axes = [`M44,16 V118 H${width - 12}`, ...ticks.map((k) => `M${left(k)},118 v5`)];
    const node = drawing(
      width,
      156,
      "The value of each proposal, as points (hollow: to come), and the best so far, as a line",
      make("path", { class: "grid", d: `M44,${up(0)} H${width - 12}` }),
      make("path", { class: "axis", d: axes.join(" ") }),
      ...[TOP, 0, FLOOR].map((value) => text(38, up(value) + 5, "end", shown(value, 0))),
      text(width / 2 + 16, 151, "middle", "proposal"),
      ...ticks.map((k) => text(left(k), 136, "middle", k)),
      line,
      ...points,
      mark,
    );
    const show = (count) => {
      points.forEach((point, i) => point.classList.toggle("later", i >= count));
      let best = start;
      let path = `M${left(0)},${up(best)}`;
      for (let i = 0; i < count; i++) {
        best = Math.max(best, values[i]);
        path += `H${left(i + 1)}V${up(best)}`;
      }
      line.setAttribute("d", path);
    };
    return { node, show };
  }

  /** What is to be seen when: scenes with their beginnings, in seconds. */
  function plan({ scenes, every }) {
    let time = 0;
    const timed = scenes.map((scene) => {
      const drive = ((scene.positions.length - 1) * every) / STEPS_A_SECOND;
      const begins = time;
      time += READ + drive + SHOW;
      return { ...scene, begins, drives: begins + READ, arrived: begins + READ + drive };
    });
    return { timed, filled: time, ends: time + FILL };
  }

  function mount(place) {
    const data = window.propsLanding;
    const { timed, filled, ends } = plan(data);
    const road = valley();
    const values = curve(data, place.clientWidth < 500 ? 340 : 680);
    const heading = html("p", "panel-title");
    const numbers = html("p", "numbers");
    const reason = html("p", "reason");
    const score = html("p", "score");

    function show(time) {
      const scene = timed.findLast(({ begins }) => time >= begins) ?? timed[0];
      const { proposal, params, positions } = scene;
      const step = ((time - scene.drives) * STEPS_A_SECOND) / data.every;
      const place = Math.round(Math.max(0, Math.min(step, positions.length - 1)));
      const valued = time >= scene.arrived;
      const after = time >= filled ? (time - filled) / FILL : 0;
      const more = Math.floor(Math.min(after, 1) * (data.values.length - proposal));
      heading.textContent = `Proposal ${proposal}: the model writes`;
      numbers.replaceChildren(...params.map((number) => html("span", "", shown(number, 1))));
      reason.textContent = `“${scene.reason}”`;
      const value = valued ? shown(data.values[proposal - 1], 2) : time >= scene.drives ? "…" : "";
      score.textContent = `Mean return of 20 episodes${value && ": "}${value}`;
      road.show(positions[place]);
      values.show((valued ? proposal : proposal - 1) + more);
    }

    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let time = calm ? ends : 0;
    let last;
    let running;
    const button = html("button", "");
    button.type = "button";
    const turn = (on) => {
      running = on;
      last = undefined;
      button.textContent = on ? "Pause" : time >= ends ? "Play again" : "Play";
      if (on) requestAnimationFrame(tick);
    };
    function tick(now) {
      if (!running) return;
      time += Math.min((now - (last ?? now)) / 1000, 0.1);
      last = now;
      show(time);
      if (time >= ends) turn(false);
      else requestAnimationFrame(tick);
    }
    button.addEventListener("click", () => {
      if (!running && time >= ends) time = 0;
      turn(!running);
    });

    const words = html("div", "words", heading, html("div", "head", numbers, button), reason);
    place.replaceChildren(html("div", "scene", words, road.node), score, values.node);
    place.classList.add("landing-live");
    show(time);
    turn(!calm);
  }

  const place = document.querySelector(".landing");
  if (place && window.propsLanding) mount(place);
})();
