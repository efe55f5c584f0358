export * from './main';
export { projectEvent } from './views/views-projection';
export type { ProjectionProgress } from './views/views-projection';
export { readConfig as readEventsConfig } from './config';
