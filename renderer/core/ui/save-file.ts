export const saveFile = (name: string, type: 'text/csv' | 'application/json', text: string): void =>
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))

export function saveBlob(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Revoke the URL in a later task, after the browser has read the blob.
  setTimeout(() => {
    URL.revokeObjectURL(address)
  })
}
