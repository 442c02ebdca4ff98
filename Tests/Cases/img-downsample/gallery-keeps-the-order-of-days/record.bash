echo "{\"path\":\"$PWD/$1.jpg\",\"title\":\"$2\",\"date\":\"$3\"}"
