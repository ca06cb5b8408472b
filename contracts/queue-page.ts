/** So many entries of the queue a page begins with, and so many more each time that more are asked for. */
export const QUEUE_PAGE = 200
