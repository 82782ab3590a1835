/** A server that answers as it is told, for what the service does not do on demand. */
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The address of a server that gives these answers one after the other, and the requests that it got. */
export async function scripted(context: TestContext, ...answers: Answer[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[asked.length - 1];
    if (answer) answer(request, response);
    else request.socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A complete answer. */
export function saying(status: number, headers: Record<string, string> = {}, body = "{}"): Answer {
  return (_, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
  };
}

/** The connection breaks. */
export const breaking: Answer = (request) => {
  request.socket.destroy();
};

/** The beginning of a stream of lines; the connection stays open. */
export function beginning(...lines: string[]): Answer {
  return (_, response) => {
    response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    response.write(lines.map((line) => `${line}\n`).join(""));
  };
}
