// Every page works without this file. With it, ages tick by the server's clock, and a page comes again when something changed.
(() => {
  "use strict";
  const root = document.documentElement;
  let offset = Date.parse(root.dataset.now) - performance.now();
  const now = () => offset + performance.now();
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

  // "2 h 4 min ago", "in 12 s": two units at most, the second only below a day.
  const relative = (milliseconds) => {
    let rest = Math.round(Math.abs(milliseconds) / 1000);
    if (rest < 1) return "now";
    const parts = [];
    for (const [unit, size] of units) {
      const count = Math.floor(rest / size);
      rest -= count * size;
      if (count > 0) parts.push(`${count} ${unit}`);
      if (parts.length > 0 && (unit === "d" || unit === "min" || parts.length === 2)) break;
    }
    return milliseconds < 0 ? `${parts.join(" ")} ago` : `in ${parts.join(" ")}`;
  };

  const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };

  const tick = () => {
    for (const time of document.querySelectorAll("time[data-rel]")) {
      setText(time, relative(Date.parse(time.dateTime) - now()));
    }
  };

  const live = document.querySelector(".live");
  const showLive = (isLive) => {
    live.classList.toggle("on", isLive);
    const clock = new Date(now()).toISOString().slice(11, 16);
    setText(live, isLive ? `Live, ${clock} UTC` : `As of ${clock} UTC`);
  };

  // A page that nobody sees, that somebody writes in, or has selected text of, is left alone.
  const isLeftAlone = () => {
    if (document.hidden) return true;
    const main = document.getElementById("main");
    const focus = document.activeElement;
    return main.contains(focus) && focus.matches("input, textarea, select") || !getSelection().isCollapsed;
  };

  // Remembers what has the focus and which details are open, since the content is replaced.
  const refresh = async () => {
    if (isLeftAlone()) return;
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok || isLeftAlone()) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const [old, fresh] = [document.getElementById("main"), page.getElementById("main")];
    if (!fresh) return;
    offset = Date.parse(page.documentElement.dataset.now) - performance.now();
    if (old.innerHTML !== fresh.innerHTML) {
      const focusable = "a[href], button, summary, [tabindex]";
      const place = [...old.querySelectorAll(focusable)].indexOf(document.activeElement);
      const open = [...old.querySelectorAll("details")].map((details) => details.open);
      const scrolls = [...old.querySelectorAll(".scroll")].map((region) => region.scrollLeft);
      old.replaceChildren(...fresh.childNodes);
      old.querySelectorAll("details").forEach((details, index) => { details.open = open[index] ?? details.open; });
      old.querySelectorAll(".scroll").forEach((region, index) => { region.scrollLeft = scrolls[index] ?? 0; });
      if (place >= 0) old.querySelectorAll(focusable)[place]?.focus({ preventScroll: true });
      document.title = page.title;
    }
    tick();
  };

  tick();
  setInterval(tick, 1000);
  if (document.querySelector("[data-still]") || !live) return;
  const events = new EventSource("/events");
  let waiting = false;
  events.onopen = () => showLive(true);
  events.onerror = () => showLive(false);
  const changed = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      refresh().then(() => showLive(true), () => showLive(false));
    }, 250);
  };
  events.onmessage = changed;
  // What changed while nobody looked is shown now.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) changed(); });
  addEventListener("pagehide", () => events.close());
})();
