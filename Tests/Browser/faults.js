// Finds what is wrong with the look of a page: what sticks out of its place, and what is cut off. Answers with sentences.
(() => {
  const faults = new Set();
  const show = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120);
  const root = document.documentElement;
  const over = root.scrollWidth - root.clientWidth;
  if (over > 0) {
    const widest = [...document.querySelectorAll("body *")].find(
      (e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".scroll"));
    faults.add(`it scrolls sideways by ${over} px: ${widest ? show(widest) : ""}`);
  }
  // Text that is there for screen readers alone, or that says itself that it is cut, or whose place scrolls.
  const mayBeCut = ".sr, .skip, .clip, .scroll, textarea, input, select, svg, pre.raw";
  const isShown = (element) => element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
  const isInline = (element) => ["inline", "contents"].includes(getComputedStyle(element).display);
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() === "" || parent.closest(".sr, .skip, textarea, select, svg, script, title") || !isShown(parent)) continue;
    if (!parent.closest(".scroll, .clip")) texts.push(node);
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    let box = parent;
    while (isInline(box)) box = box.parentElement;
    const place = box.getBoundingClientRect();
    const inScroll = parent.closest(".scroll, .clip, pre.raw");
    if (!inScroll && (text.right > root.clientWidth + 1 || text.left < -1)) faults.add(`text leaves the page: ${show(parent)}`);
    if (text.right > place.right + 1.5 && !parent.closest(".clip")) faults.add(`text sticks out of its place: ${show(box)}`);
  }
  for (const element of document.querySelectorAll("body *")) {
    if (element.matches(mayBeCut) || element.closest("svg, .sr, .skip") || !isShown(element)) continue;
    const style = getComputedStyle(element);
    const hides = (value) => value === "hidden" || value === "clip";
    if (hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1) faults.add(`cut off at the right: ${show(element)}`);
    if (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 1) faults.add(`cut off below: ${show(element)}`);
  }
  // Texts that lie over each other.
  const lines = texts.map((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  });
  lines.forEach((own, index) => {
    for (let next = index + 1; next < Math.min(lines.length, index + 6); next += 1) {
      const overlap = own.some((a) => lines[next].some((b) => (
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)));
      if (overlap) faults.add(`two texts overlap: ${show(texts[index].parentElement)} and ${show(texts[next].parentElement)}`);
    }
  });
  // Buttons and fields that lie over each other.
  const controls = [...document.querySelectorAll("button, .button, input:not([type=hidden]), select, textarea")].filter(isShown);
  const places = controls.map((control) => control.getBoundingClientRect());
  for (let first = 0; first < places.length; first += 1) {
    for (let second = first + 1; second < Math.min(places.length, first + 8); second += 1) {
      const [a, b] = [places[first], places[second]];
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) {
        faults.add(`two controls overlap: ${show(controls[first])} and ${show(controls[second])}`);
      }
    }
  }
  return [...faults].slice(0, 5);
})()
