// Boxes that scroll can be reached with the keyboard, and say what they are.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("a.skip-link, #pst-skip-link").forEach((link) => {
    if (!link.closest("nav, header, [role=region]")) {
      const region = document.createElement("nav");
      region.setAttribute("aria-label", "Skip to content");
      link.replaceWith(region);
      region.append(link);
    }
  });
  document.querySelectorAll("div.cell_output, .pst-scrollable-table-container").forEach((box) => {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Scrolls sideways");
    }
  });
});
