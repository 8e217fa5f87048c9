import Clibuv
