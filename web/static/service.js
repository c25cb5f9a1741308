// The server that the pages ask. The static site replaces this module by one that answers in the
// browser (web/site/static/service.js).
export const send = (where, options) => fetch(where, options);
