import { open } from "./page.js";

open("table");
