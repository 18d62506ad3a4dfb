// A time of today, to the minute.
export const clock = (time) => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
