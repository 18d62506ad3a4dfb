// How a judging page lies on the screen: two columns whose border can be dragged, and a footer that
// never lies over what has the focus.
import { fill } from "../texts.js";

const KEPT = "rarrweb-columns";
const STEP = 2; // per cent

export function arrange() {
  const columns = document.querySelector(".task-columns:has(> .split)");
  if (columns) new Split(columns, columns.querySelector(":scope > .split"));
  keepClear("--footer", document.querySelector(".task-bar"));
  keepClear("--toolbar", document.querySelector(".passage .bar, .put"));
  keepClear("--sentence", document.querySelector(".passage .bar .current"));
  keepClear("--verdict", document.querySelector(".passage .bar .radios"));
  keepInSight(document.getElementById("judging"));
}

// The height of what sticks to an edge, for the page's scroll padding.
function keepClear(name, element) {
  if (!element) return;
  const measure = () => {
    const isAtTheEdge = getComputedStyle(element.parentElement).gridColumnStart !== "2"; // not in a lane
    const sticks = isAtTheEdge && ["sticky", "fixed"].includes(getComputedStyle(element).position);
    document.documentElement.style.setProperty(name, `${sticks ? element.offsetHeight : 0}px`);
  };
  new ResizeObserver(measure).observe(element);
  addEventListener("resize", measure);
  measure();
}

// What has the focus stays in sight when a phone is turned or a window made narrower. Only the width
// counts: a phone's address bar changes the height while one scrolls.
function keepInSight(judging) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (judging.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest" });
  });
}

class Split {
  constructor(columns, handle) {
    Object.assign(this, { columns, handle });
    this.least = Number(handle.getAttribute("aria-valuemin"));
    this.most = Number(handle.getAttribute("aria-valuemax"));
    this.share = Number(handle.getAttribute("aria-valuenow"));
    this.#set(this.#remembered() ?? this.share);
    handle.addEventListener("pointerdown", (event) => this.#drag(event));
    handle.addEventListener("dblclick", () => this.#keep(52));
    handle.addEventListener("keydown", (event) => {
      const isRtl = getComputedStyle(columns).direction === "rtl";
      const step = { ArrowLeft: isRtl ? STEP : -STEP, ArrowRight: isRtl ? -STEP : STEP }[event.key];
      const end = { Home: this.least, End: this.most }[event.key];
      if (event.altKey || event.ctrlKey || event.metaKey || (step === undefined && end === undefined)) return;
      event.preventDefault();
      this.#keep(end ?? this.share + step);
    });
  }

  #drag(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.handle.focus({ preventScroll: true });
    this.handle.setPointerCapture(event.pointerId);
    const move = ({ clientX }) => {
      const { left, width } = this.columns.getBoundingClientRect();
      const isRtl = getComputedStyle(this.columns).direction === "rtl";
      const share = ((clientX - left) / width) * 100;
      this.#set(isRtl ? 100 - share : share);
    };
    this.handle.addEventListener("pointermove", move);
    const stop = () => {
      this.handle.removeEventListener("pointermove", move);
      this.#keep(this.share);
    };
    this.handle.addEventListener("lostpointercapture", stop, { once: true });
  }

  #set(share) {
    this.share = Math.round(Math.min(Math.max(share, this.least), this.most));
    this.columns.style.setProperty("--split", `${this.share}%`);
    this.handle.setAttribute("aria-valuenow", this.share);
    const text = fill("%(percent)s % for the first column", { percent: this.share });
    this.handle.setAttribute("aria-valuetext", text);
  }

  #keep(share) {
    this.#set(share);
    try {
      localStorage.setItem(KEPT, this.share);
    } catch {
      // Forbidden: it lasts as long as the page.
    }
  }

  #remembered() {
    try {
      const kept = localStorage.getItem(KEPT);
      return kept === null || !Number.isFinite(Number(kept)) ? null : Number(kept);
    } catch {
      return null;
    }
  }
}
