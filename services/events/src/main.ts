import { type Platform, Readiness, type RunningService, startMicroservice } from '@muster/nest-kit';
import type { LoggerService } from '@nestjs/common';
import { AppModule } from './app.module';
import { type ProjectionProgress, ViewsProjection } from './views/views-projection';

export interface RunningEvents extends RunningService {
  readonly readiness: Readiness;
  readonly views: ProjectionProgress;
}

/** Starts the read models, the event log, and the relay that publishes stored events on the bus. */
export const startEvents = async (platform: Platform, logger: LoggerService): Promise<RunningEvents> => {
  const running = await startMicroservice('events', AppModule.on(platform), platform, logger);
  return { ...running, readiness: running.app.get(Readiness), views: running.app.get(ViewsProjection) };
};
