/* The talk refreshes itself; keep the reader where they are, or at the newest message if they were there. */
(() => {
    const NEAR_END = 80;
    let place = null;
    const talk = () => document.getElementById("talk");
    const toEnd = (element) => { element.scrollTop = element.scrollHeight; };

    document.addEventListener("DOMContentLoaded", () => {
        if (talk() && !location.hash) toEnd(talk());
    });
    document.addEventListener("htmx:beforeSwap", (event) => {
        const element = talk();
        if (event.target !== element) return;
        const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
        place = atEnd ? null : element.scrollTop;
    });
    document.addEventListener("htmx:afterSettle", () => {
        const element = talk();
        if (!element) return;
        if (place === null) toEnd(element);
        else element.scrollTop = place;
    });
})();
