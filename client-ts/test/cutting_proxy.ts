/** A TCP proxy that cuts connections and loses answers. */
import { once } from "node:events";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";

export class CuttingProxy {
  /** Of each further connection, the bytes that it carries to the client before it is cut. */
  readonly budgets: number[] = [];
  cuts = 0;
  /** So many requests that come next with this beginning lose their answer after the service has given it. */
  lost = { beginning: "", left: 0 };
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      this.#carry(client, connect(Number(target.port), target.hostname));
    });
  }

  static async before(address: string): Promise<CuttingProxy> {
    const made = new CuttingProxy(new URL(address));
    made.#server.listen(0, "127.0.0.1");
    await once(made.#server, "listening");
    return made;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #carry(client: Socket, service: Socket): void {
    let left = this.budgets.shift() ?? Infinity;
    let isLost = false;
    const cut = (): void => {
      this.cuts++;
      client.destroy();
      service.destroy();
    };
    client.on("data", (sent) => {
      if (this.lost.left > 0 && sent.toString("latin1").startsWith(this.lost.beginning)) {
        this.lost.left--;
        isLost = true;
      }
      service.write(sent);
    });
    service.on("data", (answered) => {
      if (isLost) cut();
      else if (answered.length < left) {
        left -= answered.length;
        client.write(answered);
      } else if (left > 0) {
        client.write(answered.subarray(0, left), cut);
        left = 0;
      }
    });
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#open.add(socket);
      socket.on("end", () => other.end());
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        other.destroy();
        this.#open.delete(socket);
      });
    }
  }
}
