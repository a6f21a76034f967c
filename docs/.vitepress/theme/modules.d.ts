declare module '*.vue' {
  const component: object
  export default component
}
declare module 'virtual:palette.css'
