// Leaves its prompt unread: ends at once with `end`, else only when it is told to.
if (process.argv[2] === 'end') process.exit(0)
process.stdout.write('waiting')
setInterval(() => {}, 1_000_000)
