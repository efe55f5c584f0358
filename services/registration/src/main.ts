import { type StartService, startMicroservice } from '@muster/nest-kit';
import { AppModule } from './app.module';

/** Starts the registration service: identity, binding, roles and the life cycle of clusters, infra-envs and hosts. */
export const startRegistration: StartService = (platform, logger) =>
  startMicroservice('registration', AppModule.on(platform), platform, logger);
