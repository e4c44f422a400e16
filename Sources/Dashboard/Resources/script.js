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

  // Times are shown in the zone of the browser; a pointer that rests on one sees it in UTC, too.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  const local = (time) => new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "medium" });
  const localize = () => {
    if (zone === "UTC") return;
    for (const time of document.querySelectorAll("time:not([data-local])")) {
      const utc = time.title || time.textContent;
      time.dataset.local = "";
      // A column of one day's times has no dates.
      if (time.dataset.rel === undefined) setText(time, local(time.dateTime).slice(time.textContent.length === 8 ? 11 : 0));
      time.title = `${local(time.dateTime)} ${zone}; ${utc}`;
    }
    const note = document.querySelector("footer .zone");
    if (note) setText(note, `Times in ${zone}; charts, filters and exports in UTC`);
  };

  const live = document.querySelector(".live");
  const showLive = (isLive) => {
    live.classList.toggle("on", isLive);
    const clock = zone === "UTC" ? `${new Date(now()).toISOString().slice(11, 16)} UTC` : local(now()).slice(11, 16);
    setText(live, isLive ? `Live, ${clock}` : `As of ${clock}`);
  };

  // A page that has lost its connection looks like one whose figures are of now, so it says so, as does its tab.
  const icon = document.querySelector("link[rel=icon]");
  const calm = { title: document.title, icon: icon.href };
  let lost = null;
  const showLost = (isLost) => {
    if (isLost === (lost !== null)) return;
    if (isLost) {
      lost = document.createElement("div");
      lost.className = "panel warn";
      lost.setAttribute("role", "status");
      lost.textContent = "This page has lost its connection to Garner, and shows what was known then. It tries again by itself.";
      document.querySelector("header.top").after(lost);
      Object.assign(calm, { title: document.title, icon: icon.href });
      document.title = `! ${calm.title}`;
      icon.href = icon.dataset.alarm;
    } else {
      lost.remove();
      lost = null;
      document.title = calm.title;
      icon.href = calm.icon;
    }
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
      icon.href = page.querySelector("link[rel=icon]").href;
    }
    localize();
    tick();
  };

  localize();
  tick();
  setInterval(tick, 1000);
  if (document.querySelector("[data-still]") || !live) return;
  const events = new EventSource("/events");
  let waiting = false;
  let losing = 0;
  events.onopen = () => {
    clearTimeout(losing);
    showLost(false);
    showLive(true);
  };
  events.onerror = () => {
    showLive(false);
    // A restart of the service takes a moment, and a page that is left has no connection either.
    clearTimeout(losing);
    losing = setTimeout(() => showLost(true), 3000);
  };
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
  addEventListener("pagehide", () => {
    clearTimeout(losing);
    events.close();
  });
})();
