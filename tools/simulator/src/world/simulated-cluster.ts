import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import type { ControllerSettings } from '@muster/service-controller';
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509';
import type { StagePath } from '../installation/host-stages';
import { createScratchRoots, type ScratchRoots } from '../scratch-root/scratch-roots';
import type { MachineConfigServer } from './machine-config-server';

const VALID_MS = 2 * 365 * 24 * 60 * 60_000;

/** A certificate authority as a cluster's ingress operator makes one for itself; PEM, without its key. */
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
    webcrypto as never,
  );
  return `${certificate.toString('pem')}\n`;
}

/**
 * What the machines of one cluster can see of each other while it comes up: the machine config server's log, the nodes in
 * its API, the end of bootstrapping. It is the cluster itself, not what the service believes of it.
 */
export interface SimulatedCluster {
  readonly clusterId: string;
  /** Answers on the bootstrap host first and in the cluster later; undefined before. */
  machineConfigServer: MachineConfigServer | undefined;
  /** Hosts that have fetched their configuration, by id: the server's log. */
  readonly ignitionFetchedBy: Set<string>;
  readonly nodes: Map<string, SimulatedNode>;
  isBootstrapped: boolean;
  /** The in-cluster controller has said that it is there. */
  isControllerReady: boolean;
  /** Host on which the controller runs. */
  controllerOn: string | undefined;
  isFinished: boolean;
  /** What the bootstrap host leaves in the cluster for the controller. */
  controllerConfig: ControllerConfig | undefined;
  /** YAML text of the install config, from the manifests of the bootstrap host. */
  installConfig: string | undefined;
  /** Operators by name: false while they are rolled out. */
  readonly rolledOut: Map<string, boolean>;
  /** PEM of the ingress authority, once it was asked for. */
  ingressCa: string | undefined;
}

export interface SimulatedNode {
  readonly isControlPlane: boolean;
  readonly isReady: boolean;
}

export interface ControllerConfig extends ControllerSettings {
  readonly agentVersion: string;
}

/** A machine as the others know it. */
export interface KnownHost {
  readonly hostname: string;
  readonly path: StagePath;
  /** Without prefix length. */
  readonly addresses: readonly string[];
}

/** Clusters by id, and one way to wait for a change in them. */
export interface SimulatedWorld {
  cluster(clusterId: string): SimulatedCluster;
  /** The cluster whose machine config server answers at this name or address. */
  clusterAt(name: string): SimulatedCluster | undefined;
  /** Bootstrapping starts again: the state of an earlier try is removed. */
  begin(clusterId: string): SimulatedCluster;
  /** What is known of a host; a host of another simulation has no name. */
  host(hostId: string): KnownHost;
  knowHost(hostId: string, host: KnownHost): void;
  /** File systems of the machines. */
  readonly roots: ScratchRoots;
  /** Nothing runs any more, and the file systems are gone. */
  close(): void;
  /** Call after every change of a cluster. */
  changed(): void;
  /** Resolves once `isTrue` holds, or when `signal` is aborted. */
  until(isTrue: () => boolean, signal: AbortSignal): Promise<void>;
}

export function createSimulatedWorld(): SimulatedWorld {
  const clusters = new Map<string, SimulatedCluster>();
  const hosts = new Map<string, KnownHost>();
  const roots = createScratchRoots();
  const waiting = new Set<() => void>();
  const changed = (): void => [...waiting].forEach((look) => look());
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
    clusterAt: (name) => [...clusters.values()].find((cluster) => cluster.machineConfigServer?.answersAt(name)),
    begin: (clusterId) => {
      const fresh = createCluster(clusterId);
      stopServing(clusters.get(clusterId));
      // In place: machines of this cluster may hold the old one already.
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
  installConfig: undefined,
  rolledOut: new Map(),
  ingressCa: undefined,
});

function stopServing(cluster: SimulatedCluster | undefined): void {
  cluster?.machineConfigServer?.close();
  if (cluster) cluster.machineConfigServer = undefined;
}
