import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import type { ControllerSettings } from '@muster/service-controller';
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509';
import type { StagePath } from '../installation/host-stages';
import { createScratchRoots, type ScratchRoots } from '../scratch-root/scratch-roots';
import type { MachineConfigServer } from './machine-config-server';
import type { ServerNames, ServerPorts } from './server-names';

const VALID_MS = 2 * 365 * 24 * 60 * 60_000;

/** Returns a certificate authority as the ingress operator creates it, PEM without its key. */
export async function createIngressCa(nowMs: number): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=ingress-operator@${Math.floor(nowMs / 1000)}`,
      notBefore: new Date(nowMs),
      notAfter: new Date(nowMs + VALID_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign, true),
      ],
    },
    globalThis.crypto,
  );
  return `${certificate.toString('pem')}\n`;
}

/**
 * The state of a cluster that its machines observe during the installation: the log of the machine-config server, the
 * nodes in its API, the end of the bootstrap. It is independent of the state in the service.
 */
export interface SimulatedCluster {
  readonly clusterId: string;
  /** Runs first on the bootstrap host and later in the cluster; undefined before. */
  machineConfigServer: MachineConfigServer | undefined;
  /** Ids of hosts that downloaded their config: the log of the server. */
  readonly ignitionFetchedBy: Set<string>;
  readonly nodes: Map<string, SimulatedNode>;
  isBootstrapped: boolean;
  /** Whether the controller reported that it runs. */
  isControllerReady: boolean;
  /** Host on which the controller runs. */
  controllerOn: string | undefined;
  isFinished: boolean;
  /** Settings that the bootstrap host stores in the cluster for the controller. */
  controllerConfig: ControllerConfig | undefined;
  /** The rules of the controller's ClusterRole, from the manifests of the bootstrap host. */
  controllerRules: readonly ControllerRule[];
  /** YAML text of the install-config, from the manifests of the bootstrap host. */
  installConfig: string | undefined;
  /** Service with the address of the name server. The operator creates `dns-default` when it is restarted. */
  dnsService: 'other' | 'dns-default' | undefined;
  /** Operators by name: false during their rollout. */
  readonly rolledOut: Map<string, boolean>;
  /** PEM of the ingress certificate authority; undefined before the first request. */
  ingressCa: string | undefined;
}

export interface SimulatedNode {
  readonly isControlPlane: boolean;
  readonly isReady: boolean;
}

export interface ControllerRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ControllerConfig extends ControllerSettings {
  readonly agentVersion: string;
}

/** A machine as other machines see it. */
export interface KnownHost {
  readonly hostname: string;
  readonly path: StagePath;
  /** Without prefix length. */
  readonly addresses: readonly string[];
}

/** Clusters by id, and a way to wait for changes. */
export interface SimulatedWorld {
  cluster(clusterId: string): SimulatedCluster;
  /** Returns the cluster of this world whose machine-config server has this name or address. */
  clusterAt(name: string): SimulatedCluster | undefined;
  /** Returns the machine-config server with this name or address, of this world or of another process. */
  serverAt(name: string): ServerPorts | undefined;
  /** Sets the machine-config server of a cluster, and publishes its names. */
  serve(cluster: SimulatedCluster, server: MachineConfigServer): void;
  /** Starts a bootstrap, and removes the state of an earlier attempt. */
  begin(clusterId: string): SimulatedCluster;
  /** Returns a host. A host of another simulation has no name. */
  host(hostId: string): KnownHost;
  knowHost(hostId: string, host: KnownHost): void;
  /** File systems of the machines. */
  readonly roots: ScratchRoots;
  /** Stops all programs and removes the file systems. */
  close(): void;
  /** Must be called after every change of a cluster. */
  changed(): void;
  /** Resolves when `isTrue` returns true or `signal` is aborted. */
  until(isTrue: () => boolean, signal: AbortSignal): Promise<void>;
}

/** `names`: where worlds of several processes find each other's machine-config servers. */
export function createSimulatedWorld(names?: ServerNames): SimulatedWorld {
  const clusters = new Map<string, SimulatedCluster>();
  const withdrawals = new Map<MachineConfigServer, () => void>();
  const hosts = new Map<string, KnownHost>();
  const roots = createScratchRoots();
  const waiting = new Set<() => void>();
  const changed = (): void => [...waiting].forEach((look) => look());
  const clusterAt = (name: string): SimulatedCluster | undefined =>
    [...clusters.values()].find((cluster) => cluster.machineConfigServer?.names.includes(name));
  const stopServing = (cluster: SimulatedCluster | undefined): void => {
    const server = cluster?.machineConfigServer;
    if (!cluster || !server) return;
    withdrawals.get(server)?.();
    withdrawals.delete(server);
    server.close();
    cluster.machineConfigServer = undefined;
  };
  return {
    changed,
    roots,
    close: () => {
      for (const cluster of clusters.values()) stopServing(cluster);
      roots.remove();
    },
    host: (hostId) => hosts.get(hostId) ?? { hostname: '', path: 'master', addresses: [] },
    knowHost: (hostId, host) => void hosts.set(hostId, host),
    cluster: (clusterId) => {
      const cluster = clusters.get(clusterId) ?? createCluster(clusterId);
      clusters.set(clusterId, cluster);
      return cluster;
    },
    clusterAt,
    serverAt: (name) => clusterAt(name)?.machineConfigServer ?? names?.find(name),
    serve: (cluster, server) => {
      stopServing(cluster);
      cluster.machineConfigServer = server;
      if (names) withdrawals.set(server, names.publish(server.names, server));
      changed();
    },
    begin: (clusterId) => {
      const fresh = createCluster(clusterId);
      stopServing(clusters.get(clusterId));
      // The object is modified in place, because machines of the cluster may already have a reference to it.
      const cluster = Object.assign(clusters.get(clusterId) ?? fresh, fresh);
      clusters.set(clusterId, cluster);
      changed();
      return cluster;
    },
    until: (isTrue, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!signal.aborted && !isTrue()) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
  };
}

const createCluster = (clusterId: string): SimulatedCluster => ({
  clusterId,
  machineConfigServer: undefined,
  ignitionFetchedBy: new Set(),
  nodes: new Map(),
  isBootstrapped: false,
  isControllerReady: false,
  controllerOn: undefined,
  isFinished: false,
  controllerConfig: undefined,
  controllerRules: [],
  installConfig: undefined,
  dnsService: 'other',
  rolledOut: new Map(),
  ingressCa: undefined,
});
