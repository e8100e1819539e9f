// What pages do beyond what forms and links do; each page works without it.
"use strict";
