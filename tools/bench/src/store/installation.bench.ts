import type { RecordedEvent } from '@muster/ports';
import { storedFigures } from '@muster/tool-demo';
import { type Bench, count, kibibytes, type Measurement, milliseconds } from '../measurement';
import { readHistory } from './clone-store';

/** Measures the latency of Muster between a user action and its effect, from the recorded history. */
export const installationPhases: Bench = {
  name: 'phases',
  about: 'VIPs given to ready, and install to every host preparing (of the recorded run)',
  run: async (bed) => {
    const events = await readHistory((await bed.recording()).dataDirectory);
    const line = (
      what: string,
      from: RecordedEvent | undefined,
      to: RecordedEvent | undefined,
      budget: string,
    ): Measurement => ({
      what,
      measured: from && to ? milliseconds(atMs(to) - atMs(from)) : 'not in the recording',
      budget,
    });
    const vips = events.find(
      ({ type, data }) => type === 'ClusterSettingsRevised' && JSON.stringify(data).includes('apiVips'),
    );
    const ready = events.find(
      (event) =>
        entered(event, 'ClusterEnteredStatus', 'ready') && isAfter(event, vips) && event.streamId === vips?.streamId,
    );
    const install = events.find((event) => entered(event, 'ClusterEnteredStatus', 'preparing-for-installation'));
    const next = events.find(
      (event) =>
        event.type === 'ClusterEnteredStatus' && isAfter(event, install) && event.streamId === install?.streamId,
    );
    const hosts = hostsOf(events, install?.streamId.replace(/^cluster-/, ''));
    const preparing = events.findLast(
      (event) =>
        entered(event, 'HostEnteredStatus', 'preparing-for-installation') &&
        isAfter(event, install) &&
        !isAfter(event, next) &&
        hosts.has(event.streamId),
    );
    return [
      line('VIPs given → cluster ready', vips, ready, '< 200 ms'),
      line('install → every host preparing', install, preparing, '< 1 s at 500 hosts'),
    ];
  },
};

/** Returns the streams of the hosts that were in the cluster. */
const hostsOf = (events: readonly RecordedEvent[], clusterId = ''): ReadonlySet<string> =>
  new Set(
    events
      .filter(({ streamId, data }) => streamId.startsWith('host-') && data.clusterId === clusterId)
      .map(({ streamId }) => streamId),
  );

const atMs = ({ recordedAt }: RecordedEvent): number => Date.parse(recordedAt);
const entered = ({ type, data }: RecordedEvent, wanted: string, status: string): boolean =>
  type === wanted && data.status === status;
const isAfter = (event: RecordedEvent, other: RecordedEvent | undefined): boolean =>
  other !== undefined && event.position > other.position;

const TYPES_SHOWN = 5;

/** Number and size of the events of one installation. */
export const installationSize: Bench = {
  name: 'size',
  about: 'events and bytes that an installation stores (of a recorded run, or of --data DIR)',
  run: async (bed) => {
    const { dataDirectory, clusters, hosts } = await bed.recording();
    const figures = await storedFigures(dataDirectory);
    const most = [...figures.byType].sort(([, a], [, b]) => b - a).slice(0, TYPES_SHOWN);
    bed.tell(`most frequent: ${most.map(([type, times]) => `${type} ${times}`).join(', ')}`);
    const shape = `${clusters} cluster(s), ${hosts} hosts`;
    const isOne = clusters === 1;
    return [
      {
        what: `events per installation (${shape})`,
        measured: count(figures.events / Math.max(clusters, 1)),
        budget: isOne ? '< 400' : '< 400 for 3 hosts',
      },
      {
        what: `bytes per installation (${shape}), file`,
        measured: kibibytes(figures.bytes / Math.max(clusters, 1)),
        budget: '< 1 MiB',
      },
      {
        what: `bytes per event (${shape}), as JSON`,
        measured: count(figures.eventBytes / Math.max(figures.events, 1)),
        budget: '',
      },
    ];
  },
};
