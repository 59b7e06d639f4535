# docker build -t informer-gen . && docker run --rm -v "$PWD:/src" informer-gen ./api/...
FROM golang:1.26 AS build
COPY . /checkout
RUN make -C /checkout build
# The tool runs the go command to find packages of other modules.
FROM golang:1.26
COPY --from=build /checkout/bin/informer-gen /usr/local/bin/
WORKDIR /src
ENTRYPOINT ["informer-gen"]
