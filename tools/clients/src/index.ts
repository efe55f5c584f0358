export { prepareAicli, type Aicli } from './aicli';
export { stepsOf, type ClientStep } from './steps';
