import { SAVE_LIMITS } from '@muster/event-sourcing';
import { boolean, bytes, choice, duration, integer, path, port, text, url } from '../setting';

const MUSTER = { readBy: ['muster'] } as const;

/** Settings of the program: profile, store, bus, logs. */
export const PROGRAM_SETTINGS = {
  MUSTER_DATA_DIRECTORY: path({
    readBy: ['muster', 'image', 'ignition'],
    fallback: '.muster',
    meaning:
      'The directory for all data of the embedded profile, and for the sealed secrets and the saved state in both profiles. Required when a service runs alone.',
  }),
  MUSTER_MASTER_KEY_FILE: path({
    ...MUSTER,
    fallbackText: '`master.key` in the data directory',
    meaning:
      'The file with the key that encrypts the keys of all secrets. Store its backup separately from the data directory.',
  }),
  MUSTER_ACCEPT_STORE: boolean({
    ...MUSTER,
    fallback: false,
    meaning:
      'Starts although the event store and the secrets do not belong together, for example after a restore from different backups. Secrets that are missing are not restored.',
  }),
  MUSTER_DISK_RESERVE: bytes({
    readBy: ['muster', 'image'],
    fallback: 512 * 1024 ** 2,
    meaning:
      'Free space of the data directory below which `/ready` fails and log bundles are refused with 507. Downloads of images leave this space free on the disk of `DATA_DIR`: they remove unused images, and fail when that is not enough.',
  }),
  MUSTER_CORES: integer({
    ...MUSTER,
    min: 1,
    max: 64,
    fallbackText: 'the cores of the machine, at most 4',
    meaning:
      'Cores that the process uses. From 2 on, threads of their own write to the SQLite files of the data directory, so that requests do not wait for the disk, and the image service runs in a thread of its own. Higher values change nothing. To use more cores, start the services as processes of their own.',
  }),
  MUSTER_SAVE_INTERVAL_SECONDS: integer({
    ...MUSTER,
    fallback: SAVE_LIMITS.intervalMs / 1_000,
    min: 1,
    max: 86_400,
    meaning:
      'The maximum number of seconds until the read models and the other states that are derived from events are saved. After a crash, the events since the last save are replayed. Each save writes every entry that changed, once.',
  }),
  MUSTER_REPORT_RETENTION: duration({
    ...MUSTER,
    fallbackText: 'without limit',
    meaning:
      'How long reports and validation outcomes that newer ones replaced are kept after their cluster was installed, cancelled, failed or deleted, for example `720h`. `store compact` removes them afterwards. All other events are kept.',
  }),
  MUSTER_SIMULATED_IMAGE: boolean({
    ...MUSTER,
    fallback: true,
    meaning:
      'Replaces the 4.18 x86_64 image of the default catalogue with a small image that boots simulated hosts only, marks the 4.18 x86_64 release as simulated, and makes it the default version. Set to false for real machines.',
  }),
  MUSTER_LOSE_MESSAGES_PERCENT: integer({
    ...MUSTER,
    fallback: 0,
    min: 0,
    max: 90,
    meaning: 'For demonstrations: the share of bus messages that are dropped, in percent.',
  }),
  MUSTER_LOSE_MESSAGES_SEED: integer({
    ...MUSTER,
    fallback: 1,
    min: 0,
    max: 2 ** 31,
    meaning: 'The seed that decides which messages `MUSTER_LOSE_MESSAGES_PERCENT` drops.',
  }),
  EVENTSTORE_URL: text({
    ...MUSTER,
    isSecret: true,
    fallbackText: 'a SQLite file in the data directory',
    meaning: 'The connection string of EventStoreDB, e.g. `esdb://user:password@host:2113?tls=true`.',
  }),
  MONGODB_URL: text({
    ...MUSTER,
    isSecret: true,
    fallbackText: 'read models in the saved state, in the data directory',
    meaning: 'The connection string of MongoDB, for the read models. Required when `events` or `gateway` runs alone.',
  }),
  MINIO_URL: text({
    ...MUSTER,
    isSecret: true,
    fallbackText: '`objects` in the data directory',
    meaning: 'The bucket of MinIO or another S3 server: `http://key:secret@host:port/bucket`.',
  }),
  NATS_URL: text({
    readBy: ['muster', 'registration'],
    isSecret: true,
    fallbackText: 'a `nats-server` child process',
    meaning:
      'The URL of the NATS server, with `user:password@` or `token@` when the server requires that, or the URLs of several servers of a cluster, separated by commas. Required when a service runs alone.',
  }),
  NATS_CREDENTIALS_FILE: path({
    ...MUSTER,
    meaning:
      'The credentials file for the server that `NATS_URL` names. It is read at each connection, so it may be replaced before they expire.',
  }),
  NATS_HOST: text({
    ...MUSTER,
    fallback: '127.0.0.1',
    meaning: 'The address on which the `nats-server` child listens. Agents on other machines need a reachable address.',
  }),
  NATS_PORT: port({
    ...MUSTER,
    fallback: 0,
    fallbackText: 'any free port, kept at a restart',
    meaning:
      'The port on which the `nats-server` child listens. 0: the port of the last start, or any free port when that port is in use or is the port of another endpoint.',
  }),
  NATS_TLS: choice({
    ...MUSTER,
    choices: ['auto', 'on', 'off'],
    fallback: 'auto',
    meaning:
      'Whether the `nats-server` child requires TLS. auto: unless `NATS_HOST` is a loopback address. off: requests and credentials of hosts can be read on the network.',
  }),
  NATS_OPEN: boolean({
    ...MUSTER,
    fallback: false,
    meaning:
      'Accepts a bus that every machine on the network may use: a server at `NATS_URL` that requires no credentials, or, with `AUTH_TYPE=none`, a bus on an address other than loopback. Every machine can then act for every host, and with a server without credentials for every service.',
  }),
  NATS_CERT_FILE: path({
    ...MUSTER,
    fallbackText: 'a certificate that Muster creates',
    meaning: 'The certificate (PEM) of the `nats-server` child. Requires `NATS_KEY_FILE`.',
  }),
  NATS_KEY_FILE: path({ ...MUSTER, meaning: 'The key (PEM) of `NATS_CERT_FILE`.' }),
  NATS_CA_FILE: path({
    readBy: ['muster', 'ignition', 'registration'],
    fallbackText: 'the certificate authority that Muster creates; otherwise those of the system',
    meaning: 'The certificate authority (PEM) of the bus, for services and agents. When set, they use TLS only.',
  }),
  AGENT_NATS_URL: text({
    readBy: ['muster', 'ignition', 'registration'],
    fallbackText: 'the `nats-server` child; none when a service runs alone',
    meaning: 'The URL at which agents reach the bus. Without it, agents use HTTP.',
  }),
  NATS_TRUST_FILE: path({
    readBy: ['registration'],
    fallbackText: 'the file of the `nats-server` child',
    meaning: 'The file with the keys that sign the bus credentials of agents.',
  }),
  MUSTER_START_WAIT: duration({
    ...MUSTER,
    fallback: 60_000,
    meaning:
      'How long a start waits for a server (event store, bus, MongoDB, S3) that is not reachable, and `store compact` for S3.',
  }),
  LOG_FORMAT: choice({
    ...MUSTER,
    choices: ['text', 'json'],
    fallback: 'text',
    meaning: 'The format of the log: one line of text or one JSON object per log entry.',
  }),
  LOG_LEVEL: choice({
    ...MUSTER,
    choices: ['fatal', 'error', 'warn', 'info', 'debug'],
    fallback: 'warn',
    meaning: 'The lowest level of log entries that are written.',
  }),
  SERVICE_BASE_URL: url({
    readBy: ['ignition', 'gateway', 'image'],
    fallbackText:
      '`http://127.0.0.1` with `REST_PORT` (https with `SERVE_HTTPS`) for hosts; the address of the request in links',
    meaning: 'The API URL given to hosts. It must be reachable from them.',
  }),
  IMAGE_SERVICE_BASE_URL: url({
    readBy: ['gateway', 'ignition', 'image'],
    fallbackText:
      'the address of the request in links, `http://127.0.0.1` (https with certificates) for the executable that hosts download; each with `IMAGE_PORT`, or with `HTTP_LISTEN_PORT` when there is no certificate',
    meaning:
      'The URL from which hosts and users download boot images, and hosts their executable. It must be reachable from them.',
  }),
  HTTP_PROXY: text({
    readBy: ['ignition', 'image'],
    isSecret: true,
    meaning: 'The proxy for http URLs of base images and releases, and for `openshift-install` and `oc`.',
  }),
  HTTPS_PROXY: text({
    readBy: ['ignition', 'image'],
    isSecret: true,
    meaning: 'The proxy for https URLs of base images and releases, and for `openshift-install` and `oc`.',
  }),
  NO_PROXY: text({ readBy: ['ignition', 'image'], meaning: 'Hosts that are reached without the proxy.' }),
};
