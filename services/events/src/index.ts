export * from './main';
export { projectJourney } from './journeys/project-journey';
export { projectEvent } from './views/views-projection';
export type { ProjectionProgress } from './views/views-projection';
export { readConfig as readEventsConfig } from './config';
export { READ_MODEL_FOLDS } from './read-model-folds';
