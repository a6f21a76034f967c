using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "schools", worker = .schools)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "schools")],
);
const schools :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "main.mjs")],
  compatibilityDate = "2026-11-17",
);
