import { open } from "./page.js";

open("new");
