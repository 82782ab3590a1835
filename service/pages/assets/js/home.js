import { open } from "./page.js";

open("home");
