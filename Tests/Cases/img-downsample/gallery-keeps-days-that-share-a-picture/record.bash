echo "{$1,\"url\":\"https://example.org/a.jpg\",\"path\":\"$PWD/a.jpg\"}"
