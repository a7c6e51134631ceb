// Does what its one argument says, in JavaScript.
await new Function(`return (async () => { ${process.argv[2]} })()`)()
