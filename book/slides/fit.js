// Make each slide fit: what is too tall is set smaller, down to a third. window.fitted lists the slides
// that are too tall even so, by their first words; make_slides.py ends with an error if there are any.
"use strict";

const HEIGHT = 720;
const WIDTH = 1280;
const SMALLEST = 0.3;

function overflows(slide) {
  return slide.scrollHeight > HEIGHT || slide.scrollWidth > WIDTH;
}

function fit(slide) {
  let scale = 1;
  while (overflows(slide) && scale > SMALLEST) {
    scale -= 0.05;
    for (const part of slide.children) {
      if (part.tagName !== "ASIDE") part.style.zoom = scale;
    }
  }
  return !overflows(slide);
}

async function fitAll() {
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  await document.fonts.ready;
  const wrong = [];
  for (const slide of document.querySelectorAll(".reveal .slides section:not(.stack)")) {
    const before = [slide, slide.parentElement].map((one) => [one, one.style.cssText, one.hidden]);
    // reveal.js hides the slides that are far from the one shown; hidden, they have no size.
    for (const [one] of before) {
      one.hidden = false;
      one.style.setProperty("display", "block", "important");
    }
    if (!fit(slide)) wrong.push(slide.textContent.trim().slice(0, 60));
    for (const [one, style, hidden] of before) {
      one.style.cssText = style;
      one.hidden = hidden;
    }
  }
  window.fitted = wrong;
}

window.addEventListener("load", () => setTimeout(fitAll, 500));
