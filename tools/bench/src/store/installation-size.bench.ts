import { storedFigures } from '@muster/tool-demo';
import { count, kibibytes } from '../figures';
import type { Bench } from '../measurement';

const TYPES_SHOWN = 5;

/** What one installation leaves in the store. */
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
