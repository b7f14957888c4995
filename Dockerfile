# rmap in a container: docker build -t rmap . && docker run --rm -v "$PWD:/data" rmap solve detections.csv -o results
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm pack

FROM node:20.20.2-bookworm-slim
COPY --from=build /build/rmap-*.tgz /tmp/
RUN npm install --global /tmp/rmap-*.tgz && rm /tmp/rmap-*.tgz
USER node
WORKDIR /data
ENTRYPOINT ["rmap"]
CMD ["--help"]
