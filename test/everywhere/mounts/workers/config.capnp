using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "school", worker = .school)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "school")],
);
const school :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "main.mjs")],
  compatibilityDate = "2026-11-17",
  bindings = [
    (name = "ISSUER", fromEnvironment = "ISSUER"),
    (name = "SEALING_SECRET", fromEnvironment = "SEALING_SECRET"),
    (name = "PASSWORD", fromEnvironment = "PASSWORD"),
  ],
);
