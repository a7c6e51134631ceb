FROM node:20-bookworm AS build
WORKDIR /opt/callboard
COPY . .
# The full image has the compiler that better-sqlite3 needs where npm has no binary.
RUN npm ci && npm prune --omit=dev

FROM node:20-bookworm-slim
# socat is what makes HTTP reachable from outside of the hub's container (profile http).
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 bubblewrap socat \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -m 0700 -o node -g node /run/callboard /var/lib/callboard /projects
COPY --from=build /opt/callboard /opt/callboard
RUN ln -s /opt/callboard/packages/cli/bin/callboard.js /usr/local/bin/callboard
# Named volumes take owner and mode of these directories over.
ENV CALLBOARD_RUNTIME=/run/callboard CALLBOARD_DATA=/var/lib/callboard
USER node
CMD ["callboard", "up"]
