// Finds what a page has in it that is none of the dashboard's own: elements, attributes and addresses of foreign text.
(() => {
  const foreign = new Set();
  const allowed = new Set(("html head meta title link script body a abbr aside b bdi blockquote br button caption code dd del details div dl dt "
    + "figcaption figure footer form h1 h2 h3 header i img input ins label li main nav option p pre section select span summary table tbody "
    + "td textarea th thead time tr ul ol svg path rect circle line g text polyline tspan wbr").split(" "));
  for (const element of document.querySelectorAll("*")) {
    const name = element.localName;
    if (!allowed.has(name)) foreign.add(`an element <${name}>`);
    for (const attribute of element.attributes) {
      if (/^on/i.test(attribute.name) || attribute.name === "style") foreign.add(`an attribute ${attribute.name}`);
      if (["href", "src", "action", "formaction"].includes(attribute.name) && !/^([/#?]|https?:|$)/.test(attribute.value)) {
        foreign.add(`an address ${attribute.value.slice(0, 80)}`);
      }
    }
    if (name === "script" && !/^\/assets\/script-[0-9a-f]+\.js$/.test(element.getAttribute("src"))) foreign.add("a script");
    if (name === "img" && !/^\/files\/[0-9a-f]{64}$/.test(element.getAttribute("src"))) foreign.add("a picture");
  }
  return [...foreign].slice(0, 10);
})()
