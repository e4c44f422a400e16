// Notes which controls get the focus, and whether they show it. Answers with the number of Tabs that reach all of them.
(() => {
  const selector = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const controls = () => [...document.querySelectorAll(selector)].filter(
    (e) => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && e.tabIndex >= 0);
  const show = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 120);
  // A page that is not seen does not replace its content.
  Object.defineProperty(document, "hidden", { value: true });
  const [reached, unseen] = [new Set(), new Set()];
  document.addEventListener("focusin", (event) => {
    reached.add(event.target);
    if (getComputedStyle(event.target).outlineStyle === "none") unseen.add(show(event.target));
  });
  window.keyboardReport = () => [controls().filter((control) => !reached.has(control)).map(show), [...unseen]];
  // Each part of a date has a stop of its own.
  const parts = 8 * document.querySelectorAll("input[type^=date]").length;
  return controls().length + document.querySelectorAll("[tabindex='0']").length + parts + 5;
})()
