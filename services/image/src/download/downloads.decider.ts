import type { ImageEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

/** What is known of the downloads of one infra-env's images. */
export interface DownloadsState {
  readonly isDownloaded: boolean;
  /** Image types that were downloaded completely at least once. */
  readonly completedTypes: readonly string[];
}

export interface DownloadFacts {
  readonly infraEnvId: string;
  readonly imageType: string;
  readonly version: string;
  readonly arch: string;
  readonly bytes: number;
}

export type DownloadsCommand =
  ({ readonly type: 'StartDownload' } & DownloadFacts) | ({ readonly type: 'CompleteDownload' } & DownloadFacts);

/** Edges only: that an infra-env's image was fetched for the first time, and that a type of it was had to the end. */
export const downloadsDecider: Decider<DownloadsState, DownloadsCommand, ImageEvent, ProblemCode> = {
  initialState: () => ({ isDownloaded: false, completedTypes: [] }),
  evolve,
  decide,
};

function decide(command: DownloadsCommand, state: DownloadsState): Decision<ImageEvent, ProblemCode> {
  const { infraEnvId, imageType, version, arch, bytes } = command;
  switch (command.type) {
    case 'StartDownload':
      if (state.isDownloaded) return accepted();
      return accepted({ type: 'ImageFirstDownloaded', data: { infraEnvId, imageType, version, arch, bytes } });
    case 'CompleteDownload':
      if (state.completedTypes.includes(imageType)) return accepted();
      return accepted({ type: 'ImageDownloadCompleted', data: { infraEnvId, imageType, bytes } });
    default:
      return command satisfies never;
  }
}

function evolve(state: DownloadsState, event: ImageEvent): DownloadsState {
  switch (event.type) {
    case 'ImageFirstDownloaded':
      return { ...state, isDownloaded: true };
    case 'ImageDownloadCompleted':
      return { ...state, completedTypes: [...state.completedTypes, event.data.imageType] };
    default:
      event satisfies never;
      return state;
  }
}
