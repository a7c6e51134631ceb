export { createDemoProject, type DemoProject } from './create-demo-project.js'
