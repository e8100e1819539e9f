// A stand-in for a SurrealDB server: the vendor's engine, which keeps RocksDB files, behind the server's own protocol.
//
// Every socket is a session of the engine: a stranger is refused, a sign-in is checked, namespaces and databases are
// chosen per socket. Frames are handed to the engine byte for byte; one member, the session, is added to each.
//
// node bridge.mjs STORE PORT PASSWORD   STORE: mem:// or rocksdb://DIRECTORY; PORT 0 takes a free one.
// Prints the port when it listens. Ends with its standard input, or killed.

import { randomUUID } from "node:crypto";
import { NodeEngine } from "@surrealdb/node";
import { WebSocketServer } from "ws";

const [store, port, password] = process.argv.slice(2);
const raw = { encode: ({ frame }) => frame, decode: (answer) => answer };
const engine = new NodeEngine({ uniqueId: () => "", codecs: { cbor: raw } });

const text = (value) => {
  const bytes = Buffer.from(value);
  const size = bytes.length < 24 ? [0x60 + bytes.length] : [0x79, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.from([...size, ...bytes]);
};
const bytesOf = (uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex");
const sessionEntry = (uuid) => Buffer.concat([text("session"), Buffer.from([0xd8, 0x25, 0x50]), bytesOf(uuid)]);
const inSession = (frame, entry) => Buffer.concat([Buffer.from([frame[0] + 1]), frame.subarray(1), entry]);
const request = (method, ...params) =>
  Buffer.concat([Buffer.from([0xa3]), text("id"), text("bridge"), text("method"), text(method), text("params"),
    Buffer.from([0x80 + params.length]), ...params.map(text)]);
const number = (value) => Buffer.from([0x39, (-1 - value) >> 8, (-1 - value) & 0xff]); // negative, of 16 bits
const REFUSED = Buffer.concat([Buffer.from([0xa1]), text("error"), Buffer.from([0xa3]), text("code"), number(-32002),
  text("kind"), text("NotAllowed"), text("message"), text("Anonymous access not allowed")]);
const ask = (frame) => engine.send({ frame });

// The engine answers with a bare result, or with `{error: …}`; the protocol wants the request's own id around it. The
// client writes the id first, as a text of fewer than 256 bytes.
const idOf = (frame) => frame.subarray(4, frame[4] === 0x78 ? 6 + frame[5] : 5 + (frame[4] & 0x1f));
const methodIn = (frame, method) => frame.subarray(0, 80).includes(Buffer.concat([text("method"), text(method)]));
const isError = (answer) => (answer[0] & 0xe0) === 0xa0 && answer.subarray(1, 7).equals(text("error"));
const replyTo = (frame, answer) => isError(answer)
  ? Buffer.concat([Buffer.from([answer[0] + 1]), text("id"), idOf(frame), answer.subarray(1)])
  : Buffer.concat([Buffer.from([0xa2]), text("id"), idOf(frame), text("result"), answer]);

await new Promise((resolve, reject) => {
  engine.subscribe("connected", resolve);
  engine.subscribe("error", reject);
  engine.open({ url: new URL(store) });
});
await ask(request("query", `DEFINE USER OVERWRITE root ON ROOT PASSWORD '${password}' ROLES OWNER`));

const server = new WebSocketServer({
  host: "127.0.0.1", port: Number(port), path: "/rpc", maxPayload: 0, handleProtocols: () => "cbor",
});
server.on("listening", () => console.log(server.address().port));
server.on("connection", async (socket) => {
  const entry = sessionEntry(randomUUID());
  const attached = ask(inSession(request("attach"), entry));
  let known = false; // this engine, unlike a server, would let a stranger do everything
  socket.on("message", async (frame) => {
    await attached;
    const enters = methodIn(frame, "signin");
    const said = known || enters ? Buffer.from(await ask(inSession(frame, entry))) : REFUSED;
    if (enters) known = !isError(said);
    if (socket.readyState === socket.OPEN) socket.send(replyTo(frame, said));
  });
  socket.on("close", () => attached.then(() => ask(inSession(request("detach"), entry))));
});
process.stdin.on("end", () => process.exit(0)).resume();
