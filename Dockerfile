# docker build -t informer-gen . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/src" informer-gen ./api/...
FROM golang:1.26 AS build
COPY . /checkout
RUN make -C /checkout build
# The tool runs the go command to find packages of other modules, of projects of any version of Go.
FROM golang:1.26-alpine
COPY --from=build /checkout/bin/informer-gen /usr/local/bin/
ENV GOTOOLCHAIN=auto
WORKDIR /src
ENTRYPOINT ["informer-gen"]
