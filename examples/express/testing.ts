// For tests of the whole project. The tests of the examples know the inner files.
export { createApp } from './src/app.js'
