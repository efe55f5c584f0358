import type { HostDocument, METRIC_EVENTS, MetricEventName } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { JsonValue } from '@muster/ports';
import type { ClusterSubject, HostSubject, LogEntry, LogRows } from '../event-log/event-document';
import type { ClusterDocumentEvent } from '../views/cluster-view';
import type { HostDocumentEvent } from '../views/host-evolve';
import { BYTES_PER_GIB, DONE, endedStage, FAILED, installationSeconds, measuredRole } from './observations';

type PropsOf<Name extends MetricEventName> = {
  readonly [Prop in (typeof METRIC_EVENTS)[Name]['props'][number]]: JsonValue;
};

const UNKNOWN = 'Unknown';

/** An entry of the category `metrics`, which has no name. */
const metric = <Name extends MetricEventName>(message: Name, props: PropsOf<Name>): LogEntry => ({
  name: '',
  severity: 'info',
  category: 'metrics',
  message,
  props,
});

/** Entries of the category `metrics` by type of cluster event. */
export const CLUSTER_METRIC_EVENTS: LogRows<ClusterDocumentEvent, ClusterSubject> = {
  ClusterEnteredStatus: ({ status, at }, { before }) => {
    const duration = installationSeconds(status, at, before);
    if (duration === undefined || !before) return [];
    return [metric('cluster.installation.results', { duration, result: status, lastState: before.status })];
  },
  ReleaseRead: ({ releaseImage, startedAt, installerWasCached, extractSeconds }, { at }) => [
    metric('installercache.release.metrics', {
      release_id: releaseImage,
      start_time: startedAt,
      end_time: at,
      cached: installerWasCached,
      extract_duration: extractSeconds,
    }),
  ],
};

/** Entries of the category `metrics` by type of host event. Hosts without a cluster have none, as in assisted-service v2. */
export const HOST_METRIC_EVENTS: LogRows<HostDocumentEvent, HostSubject> = {
  HostProgressed: ({ stage, stageChanged }, { before, at }) => {
    if (!before?.cluster_id || !stageChanged) return [];
    return [...(stage === DONE ? sizeEvents(before, DONE) : []), ...stageEvents(before, at, DONE)];
  },
  HostInstallationFailed: (_data, { before, at }) =>
    before?.cluster_id ? [...sizeEvents(before, FAILED), ...stageEvents(before, at, FAILED)] : [],
  InventoryReported: interfaceEvents,
};

function stageEvents(host: HostDocument, endedAt: string, result: string): readonly LogEntry[] {
  const ended = endedStage(host, endedAt);
  if (!ended) return [];
  const { vendor = UNKNOWN, product = UNKNOWN, disks = [] } = host._sizes ?? {};
  const disk = disks.find(({ id }) => id === host.installation_disk_id);
  return [
    metric('host.stage.duration', {
      result,
      duration: ended.seconds,
      host_stage: ended.stage,
      vendor,
      product,
      disk_type: disk?.type ?? UNKNOWN,
      host_role: measuredRole(host),
    }),
  ];
}

const toGib = (bytes: number): number => Math.floor(bytes / BYTES_PER_GIB);

function sizeEvents(host: HostDocument, result: string): readonly LogEntry[] {
  const sizes = host._sizes;
  if (!sizes) return [];
  const of = { host_result: result, host_role: measuredRole(host) };
  return [
    metric('host.mem.cpu', { ...of, mem_bytes: toGib(sizes.memoryBytes), core_count: sizes.cores }),
    ...sizes.disks.map(({ type, bytes }) =>
      metric('disk.size.type', { ...of, disk_type: type, disk_size: toGib(bytes) }),
    ),
    ...sizes.nicsMbps.map((mbps) => metric('nic.speed', { ...of, nic_speed: mbps })),
  ];
}

function interfaceEvents({ hardware }: EventData<'InventoryReported'>, { before }: HostSubject): readonly LogEntry[] {
  if (!before?.cluster_id || !hardware) return [];
  const { physicalNicCount, virtualNicTypes } = hardware;
  if (before._sizes?.physicalNicCount === physicalNicCount) return [];
  return [
    metric('nic.virtual_interfaces', { count: virtualNicTypes.length, types: virtualNicTypes }),
    metric('nic.physical_interfaces', { count: physicalNicCount }),
  ];
}
